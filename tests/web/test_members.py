"""Members with tokens of their own, and limits on requests."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import Headers

from pixelproof.web.server import MemberAccess, RateLimit, new_member


def members(**names):
    """Access for the holders of tokens, and the stored keys."""
    stored = {}
    tokens = {}
    for name in names:
        tokens[name], key = new_member()
        stored[key] = name
    return MemberAccess(find=stored.get), tokens, stored


def test_a_token_its_cookie_and_its_key_are_three_things():
    access, tokens, stored = members(anna=1)
    visitor = access.of_token(tokens["anna"])
    assert visitor.name == "anna" and access.of_session(visitor.session) == visitor
    secrets = {tokens["anna"], visitor.session, visitor.csrf, *stored}
    assert len(secrets) == 4 and not any(secret in repr(visitor) for secret in secrets)
    # What is stored, or seen elsewhere, opens nothing.
    for stolen in (*stored, visitor.csrf, hashlib.sha256(tokens["anna"].encode()).hexdigest(), "", "anna"):
        assert access.of_token(stolen) is None and access.of_session(stolen) is None
    assert access.of_token(visitor.session) is None and access.of_session(tokens["anna"]) is None


def test_a_member_stays_signed_in_when_the_server_starts_again():
    access, tokens, stored = members(anna=1)
    visitor = access.of_token(tokens["anna"])
    again = MemberAccess(find=stored.get)
    assert again.of_session(visitor.session) == visitor
    assert again.of_session(access.session) is None and again.of_token(access.token) is None  # the administrator is not


def test_parts_of_the_server():
    access, tokens, _ = members(anna=1)
    admin, anna = access.of_token(access.token), access.of_token(tokens["anna"])
    assert (admin.home, anna.home) == ("/admin", "/")
    for path, of_admin, of_member in (
        ("/", False, True), ("/vote", False, True), ("/administrator", False, True), ("/admin", True, False),
        ("/admin/export", True, False), ("/files/x", True, True), ("//admin", False, True),
    ):  # fmt: skip
        assert (access.allows(admin, path), access.allows(anna, path)) == (of_admin, of_member), path


def test_one_browser_can_have_both_cookies():
    access, tokens, _ = members(anna=1, ben=1)
    admin, anna, ben = (access.of_token(token) for token in (access.token, tokens["anna"], tokens["ben"]))
    crumbs = [access.cookie(80, visitor).partition(";")[0] for visitor in (admin, anna)]
    headers = Headers({"cookie": "; ".join(crumbs)})
    assert access.of_cookies(headers, 80, "/admin") == admin and access.of_cookies(headers, 80, "/") == anna
    assert access.of_cookies(headers, 81, "/") is None
    # A page of Anna's in a browser that has become Ben's cannot vote for Ben.
    assert not access.may_change(Headers({"x-csrf-token": anna.csrf}), ben)
    assert access.may_change(Headers({"x-csrf-token": ben.csrf}), ben)


def test_addresses_that_visitors_use():
    access = MemberAccess("0.0.0.0", url="https://rate.example.org:8443")
    assert access.is_known_host("rate.example.org:8443") and access.is_known_host("127.0.0.1")
    assert not access.is_known_host("example.org")
    assert "; Secure" in access.cookie(80, access.of_token(access.token))
    assert "; Secure" not in MemberAccess().cookie(80, access.of_token(access.token))


@given(
    gaps=st.lists(st.floats(0, 3), min_size=1, max_size=60), rate=st.sampled_from([0.5, 1, 4]), burst=st.integers(1, 5)
)
def test_no_more_requests_pass_than_the_limit_allows(gaps, rate, burst):
    now = 0.0
    limit = RateLimit(rate, burst, clock=lambda: now)
    passed = []
    for gap in gaps:
        now += gap
        wait = limit.wait("a")
        if wait == 0:
            passed.append(now)
        else:
            before, now = now, now + wait + 1e-9
            assert limit.wait("a") == 0  # it tells the truth about the time to wait
            passed.append(now)
            assert wait <= 1 / rate + 1e-9 and before < now
    for first, start in enumerate(passed):
        for last in range(first, len(passed)):
            assert last - first + 1 <= burst + rate * (passed[last] - start) + 1e-6


def test_the_memory_of_a_limit_is_bounded():
    limit = RateLimit(1, 1, clock=lambda: 0.0)
    for number in range(25_000):
        limit.wait(str(number))
    assert len(limit._buckets) <= 10_000


@pytest.mark.parametrize("path", ["/admin", "/admin/invite"])
def test_a_member_is_a_stranger_to_the_administration(path):
    access, tokens, _ = members(anna=1)
    anna = access.of_token(tokens["anna"])
    cookie = access.cookie(80, anna).partition(";")[0]
    assert access.of_cookies(Headers({"cookie": cookie}), 80, path) is None
