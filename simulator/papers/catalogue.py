"""All papers, by name."""

from simulator.papers.christin.paper import CHRISTIN
from simulator.papers.gara.paper import GARA
from simulator.papers.habib.paper import HABIB
from simulator.papers.hntes.paper import HNTES
from simulator.papers.laatu.paper import LAATU
from simulator.papers.linux.paper import LINUX
from simulator.papers.paper import Paper

PAPERS: dict[str, Paper] = {paper.name: paper for paper in (HNTES, LAATU, GARA, HABIB, CHRISTIN, LINUX)}
