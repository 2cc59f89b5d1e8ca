"""Every case; its place is its number."""

from tests.netns.table_answers import ANSWERS
from tests.netns.table_bodies import BODIES
from tests.netns.table_hosts import HOSTS
from tests.netns.table_names import NAME_SERVICE
from tests.netns.table_redirects import REDIRECTS
from tests.netns.table_robots import ROBOTS
from tests.netns.table_tls import TLS

CASES = (*HOSTS, *NAME_SERVICE, *REDIRECTS, *ROBOTS, *ANSWERS, *BODIES, *TLS)
