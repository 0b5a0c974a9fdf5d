"""Errors that a user can act on, each with its exit code."""

EXIT_USAGE = 2
EXIT_DATA = 3
EXIT_RESUMABLE = 75


class PipelineError(Exception):
    """An error to show to the user without a traceback."""

    exit_code = 1


class UsageError(PipelineError):
    """A wrong argument, parameter or configuration value."""

    exit_code = EXIT_USAGE


class DataError(PipelineError):
    """An input that is missing, broken or not what its contract says.

    Parameters
    ----------
    where : str or Path
        The file, with `line` or `record` where one is known.
    found, expected : str
        What is there and what should be there.
    remedy : str
        What the user can do about it.
    """

    exit_code = EXIT_DATA

    def __init__(self, where, *, found, expected, remedy="", line=None, record=None):
        self.where, self.line, self.record = str(where), line, record
        self.found, self.expected, self.remedy = found, expected, remedy
        place = self.where
        if line is not None:
            place += f", line {line}"
        if record is not None:
            place += f", record {record}"
        text = f"{place}\n  found:    {found}\n  expected: {expected}"
        if remedy:
            text += f"\n  remedy:   {remedy}"
        super().__init__(text)


class Resumable(PipelineError):
    """Stopped by a signal after saving its state: the next attempt goes on from there."""

    exit_code = EXIT_RESUMABLE
