"""`python -m hopattn` is the command `hopattn`."""

from hopattn.cli.main import main

if __name__ == "__main__":
    main()
