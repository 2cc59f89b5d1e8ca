"""The steps: from a request to an admitted, projected and, one day, retired piece of evidence."""
