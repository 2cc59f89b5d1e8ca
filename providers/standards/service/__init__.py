"""The standards service: the matcher behind one HTTP interface (matcher design, sections 3, 4, 9 and 10).

Read `app.py` first: it reads a request (`asking`), answers it from the library of that moment (`shelf`,
`answering`) and logs it. `worker` is one process of it, `supervisor` all of them, `openapi` its description.
"""
