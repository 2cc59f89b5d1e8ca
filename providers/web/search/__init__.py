"""Real search services: adapters as data, one service that asks, one classifier of what came back."""
