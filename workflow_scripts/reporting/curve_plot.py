"""Precision-recall curves as a figure: a line per seed, the first drawn strongest, legible in greyscale."""

from workflow_scripts.reporting import figures


def draw_curves(lines, labels, empty):
    """The figure.

    Parameters
    ----------
    lines : dict
        Key of a row -> its seeds' (recall, precision), arrays of one length.
    labels : dict
        Key -> text of the legend.
    empty : str
        What the figure says where there is no line.
    """
    figure, axes = figures.new_figure(5.4, 3.9)
    for number, (key, seeds) in enumerate(lines.items()):
        for rank, (recall, precision) in enumerate(seeds):
            axes.plot(
                recall,
                precision,
                color=figures.COLOURS[number % len(figures.COLOURS)],
                linestyle=figures.DASHES[(number + number // len(figures.COLOURS)) % len(figures.DASHES)],
                linewidth=1.5 if rank == 0 else 0.7,
                alpha=1.0 if rank == 0 else 0.45,
                label=labels[key] if rank == 0 else None,
            )
    axes.set(xlim=(0, 1), ylim=(0, 1.02), xlabel="Recall", ylabel="Precision")
    axes.grid(True)
    if lines:
        axes.legend(loc="best", fontsize=8, handlelength=3.2)
    else:
        axes.text(0.5, 0.5, empty, ha="center", transform=axes.transAxes)
    return figure
