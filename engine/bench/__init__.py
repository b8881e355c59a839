"""The caption benchmark: latency, erasure, word error rate and cost, as a reader meets them."""
