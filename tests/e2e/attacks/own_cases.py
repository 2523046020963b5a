"""All cases that the catalogue does not list."""

from own_escape import OWN_ESCAPES, POSITIVE
from own_resource import OWN_RESOURCES


def own_cases():
    return OWN_ESCAPES + POSITIVE + OWN_RESOURCES
