"""`python3 -m evidence`: the command line, from a bare checkout too."""

from evidence.checkout import enter

if __name__ == "__main__":
    enter()
    from evidence.doors.cli import main

    main()
