"""All papers, by name."""

from hntes.papers.christin.paper import CHRISTIN
from hntes.papers.gara.paper import GARA
from hntes.papers.habib.paper import HABIB
from hntes.papers.hntes.paper import HNTES
from hntes.papers.laatu.paper import LAATU
from hntes.papers.linux.paper import LINUX
from hntes.papers.paper import Paper

PAPERS: dict[str, Paper] = {paper.name: paper for paper in (HNTES, LAATU, GARA, HABIB, CHRISTIN, LINUX)}
