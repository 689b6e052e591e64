"""One look for all pictures: the colour-blind safe palette of Okabe and Ito, light grids, PNG without a date in it."""

from pathlib import Path
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILION, PURPLE, GREY = "#0072B2", "#D55E00", "#CC79A7", "#777777"


def figure(width: float, height: float, title: str) -> Figure:
    fig = Figure(figsize=(width, height), dpi=150, layout="constrained")
    fig.suptitle(title, fontsize=13)
    return fig


def tidy(axes: "Axes", xlabel: str, ylabel: str, title: str) -> None:
    axes.set(xlabel=xlabel, ylabel=ylabel)
    axes.set_title(title, fontsize=11, loc="left")
    axes.grid(True, color="#DDDDDD", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def save(fig: Figure, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    fig.savefig(path, metadata={"Software": "tenferro"})
    return path
