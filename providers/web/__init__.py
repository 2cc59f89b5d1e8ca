"""The web as a provider: what may be searched for, how it is searched, and how a page is captured."""
