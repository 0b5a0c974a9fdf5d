"""MetamorphoSys in batch mode: its configuration for a subset, and the command that runs it.

NLM's MetamorphoSys is a Java program that a full UMLS release brings along (mmsys.zip). In batch mode it reads the
release's archives and a file of properties, and writes RRF tables of the sources that the properties name; term status
and preferred forms are computed anew for the subset (UMLS Reference Manual; paper, appendix A.1).
"""

import pathlib
import re

from workflow_scripts.common.errors import DataError

_SOURCES = "gov.nih.nlm.umls.mmsys.filter.SourceListFilter"
_SUPPRESS = "gov.nih.nlm.umls.mmsys.filter.SuppressibleFilter"
_PRECEDENCE = "gov.nih.nlm.umls.mmsys.filter.PrecedenceFilter"
_OUTPUT = "gov.nih.nlm.umls.mmsys.io.RRFMetamorphoSysOutputStream"
_INPUT = "gov.nih.nlm.umls.mmsys.io.NLMFileMetamorphoSysInputStream"
# What the published configuration sets; the order of precedence is the release's own.
PUBLISHED = {
    "active_filters": f"{_SOURCES};{_PRECEDENCE};{_SUPPRESS}",
    f"{_SOURCES}.selected_sources": "SNOMEDCT_US|SNOMEDCT",
    f"{_SOURCES}.remove_selected_sources": "false",
    f"{_SOURCES}.enforce_family_selection": "true",
    f"{_SOURCES}.enforce_dep_source_selection": "true",
    f"{_SUPPRESS}.remove_obsolete_data": "false",
    f"{_SUPPRESS}.remove_editor_suppressible_data": "false",
    f"{_SUPPRESS}.remove_source_tty_suppressible_data": "false",
    f"{_OUTPUT}.remove_mth_only": "false",
    f"{_OUTPUT}.max_field_length": "3991",
    f"{_OUTPUT}.character_encoding": "UTF-8",
    f"{_OUTPUT}.add_unicode_bom": "false",
    f"{_OUTPUT}.build_indexes": "false",
    f"{_OUTPUT}.calculate_md5s": "false",
    "mmsys_input_stream": _INPUT,
    "mmsys_output_stream": _OUTPUT,
    "install_umls": "true",
    "install_meta": "true",
    "install_net": "false",
    "install_lex": "false",
    "install_lvg": "false",
}
REMEDY = "take the full release, umls-<release>-full.zip: smaller downloads have no mmsys.zip"


def read_properties(path):
    """A Java properties file as a dict, in its order; keys and values as they are written."""
    values, pending = {}, ""
    with open(path, encoding="latin-1") as stream:
        for line in stream:
            line = pending + line.strip()
            pending = ""
            if not line or line[0] in "#!":
                continue
            if re.search(r"(?<!\\)(\\\\)*\\$", line):
                pending = line[:-1]
                continue
            key, _, value = line.partition("=")
            values[key.strip()] = value.strip()
    return values


def escaped(value):
    """A value as Java reads it back: backslashes doubled, what is not ASCII as \\uXXXX."""
    units = value.replace("\\", "\\\\").encode("utf-16-be")
    pairs = (int.from_bytes(units[i : i + 2], "big") for i in range(0, len(units), 2))
    return "".join(chr(unit) if 32 <= unit < 127 else f"\\u{unit:04x}" for unit in pairs)


def base_properties(program, release):
    """The configuration of the program that a subset starts from: it holds the release's order of precedence.

    Raises
    ------
    DataError
        If the program is not one of this release.
    """
    folder = pathlib.Path(program) / "config" / release
    found = [
        path for path in sorted(folder.glob("user.*.prop")) if f"{_PRECEDENCE}.precedence" in read_properties(path)
    ]
    if not found:
        known = sorted(path.name for path in folder.parent.glob("*")) if folder.parent.is_dir() else []
        raise DataError(
            folder,
            found=f"no user.*.prop with an order of precedence; config/ has {', '.join(known) or 'nothing'}",
            expected=f"MetamorphoSys of release {release}",
            remedy=REMEDY,
        )
    return read_properties(found[0])


def subset_properties(base, release, source, destination, own):
    """The properties of a subset: those of the release, under the published ones, under one's own.

    Parameters
    ----------
    base : dict
        From `base_properties`.
    release : str
        Such as 2019AB.
    source, destination : str
        Folder of the release's archives; folder where tables go.
    own : dict
        Config umls.metamorphosys.
    """
    places = {
        "release_version": release,
        "meta_source_uri": source,
        f"{_INPUT}.meta_source_uri": source,
        "meta_destination_uri": destination,
        "umls_destination_uri": destination,
        f"{_OUTPUT}.subset_dir": destination,
    }
    written = {key: escaped(value) for key, value in (PUBLISHED | own | places).items()}
    return base | written


def batch_command(java, program, source, destination, properties, memory_mb):
    """The command of batch mode, to be run in the folder of the program, and the CLASSPATH it needs."""
    command = [
        java,
        "-Djava.awt.headless=true",
        "-Dfile.encoding=UTF-8",
        "-Djpf.boot.config=etc/subset.boot.properties",
        "-Dlog4j.configuration=etc/subset.log4j.properties",
        f"-Dinput.uri={source}",
        f"-Doutput.uri={destination}",
        f"-Dmmsys.config.uri={properties}",
        "-Xms300M",
        f"-Xmx{memory_mb}M",
        "org.java.plugin.boot.Boot",
    ]
    return command, f"{program}:{program}/lib/jpf-boot.jar"
