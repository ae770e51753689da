"""The distance of two runs, and the robustness of fluid results against small differences of the network."""
