"""The settings of the search servers of the tests: only engines that ask a loopback upstream."""

import json
from pathlib import Path
from typing import Any

FAULTS = ("429", "403", "503", "garbled", "cut", "late")


def _engine(name: str, category: str, url: str, **more: object) -> dict[str, Any]:
    asked = {"results_query": "items", "title_query": "title", "url_query": "url", "content_query": "content"}
    return {
        "name": name,
        "engine": "json_engine",
        "enable_http": True,
        "shortcut": name.replace("-", ""),
        "categories": [category],
        "search_url": url,
        "disabled": False,
        "timeout": 1.0,
        **asked,
        **more,
    }


def _engines(upstream: str) -> list[dict[str, Any]]:
    """`notices` for every question; one engine and one category for each fault; one that is off."""
    pages = f"{upstream}/notices?q={{query}}&p={{pageno}}"
    made = [_engine("notices", "general", pages, paging=True)]
    made += [_engine(f"up-{fault}", f"fault-{fault}", f"{upstream}/{fault}?q={{query}}") for fault in FAULTS]
    made += [_engine("up-refused", "fault-refused", "http://127.0.0.1:1/?q={query}")]
    made += [_engine("up-twice", "mixed", f"{upstream}/503?q={{query}}")]
    made += [_engine("also", "mixed", f"{upstream}/notices?q={{query}}&p=1")]
    return [*made, _engine("off", "unused", pages, disabled=True)]


def searxng(upstream: str, formats: tuple[str, ...] = ("html", "json")) -> dict[str, Any]:
    """For SearXNG of 2025 and 2026."""
    return {
        "use_default_settings": {"engines": {"keep_only": []}},
        "general": {"debug": False, "instance_name": "loopback", "enable_metrics": False},
        "search": {"formats": list(formats), "default_lang": "zh-CN", "autocomplete": ""},
        "server": {"secret_key": "made for a test", "limiter": False, "image_proxy": False, "method": "GET"},
        "outgoing": {"request_timeout": 1.0, "max_request_timeout": 2.0, "enable_http2": False},
        "plugins": {},  # one of the usual ones fetches a list from the internet
        "engines": _engines(upstream),
    }


def classic(upstream: str, port: int) -> dict[str, Any]:
    """For Debian's searx 1, which wants every section."""
    blank = dict.fromkeys(
        ("git_url", "git_branch", "issue_url", "docs_url", "public_instances", "wiki_url"), ""
    )
    here = Path("/usr/share/python3-searx")
    return {
        "general": {"debug": False, "instance_name": "loopback", "contact_url": False, "enable_stats": False},
        "brand": {**blank, "twitter_url": ""},
        "search": {
            "safe_search": 0,
            "autocomplete": "",
            "default_lang": "zh-CN",
            "ban_time_on_fail": 5,
            "max_ban_time_on_fail": 120,
        },
        "server": {
            "port": port,
            "bind_address": "127.0.0.1",
            "secret_key": "made for a test",
            "base_url": False,
            "image_proxy": False,
            "http_protocol_version": "1.1",
            "method": "GET",
            "default_http_headers": {},
        },
        "ui": {
            "static_path": str(here / "static"),
            "templates_path": str(here / "templates"),
            "default_theme": "oscar",
            "default_locale": "",
            "theme_args": {"oscar_style": "logicodev"},
        },
        "outgoing": {
            "request_timeout": 1.0,
            "useragent_suffix": "",
            "pool_connections": 10,
            "pool_maxsize": 4,
        },
        "engines": [
            {**engine, "categories": ",".join(engine["categories"])} for engine in _engines(upstream)
        ],
        "locales": {"en": "English", "zh": "中文"},
        "doi_resolvers": {"oadoi.org": "https://oadoi.org/"},
        "default_doi_resolver": "oadoi.org",
    }


def write(settings: dict[str, Any], folder: Path) -> Path:
    """The settings as a file: JSON, which is YAML too."""
    file = folder / "settings.yml"
    file.write_text(json.dumps(settings, ensure_ascii=False, indent=1), encoding="utf-8")
    return file
