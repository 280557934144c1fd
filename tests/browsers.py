"""A browser for tests of pages."""

import shutil

import pytest

NOT_NEEDED = (
    # What Playwright switches off itself; ours would replace its list.
    "AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,"
    "LensOverlay,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,AvoidCorsURLLoaderRestartOnRedirect,"
    "OptimizationHints,NetworkTimeServiceQuerying,AimEnabled,PreconnectToSearch,"
    # The list under the address bar: two pages that every window loads unseen, for 0.7 CPU seconds.
    "WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup"
)
"""Features of Chromium; names that it does not know are ignored."""


@pytest.fixture(scope="module")
def browser():
    """Headless Chromium; without it, the tests that need it are skipped.

    It ends with the module: Playwright keeps an event loop running, beside which Inspect AI cannot start its own.
    """
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the Python package playwright")
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        pytest.skip("needs Chromium on the path (Debian: apt-get install chromium)")
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", f"--disable-features={NOT_NEEDED}"]
    with playwright.sync_playwright() as play:
        opened = play.chromium.launch(executable_path=chromium, args=flags)
        yield opened
        opened.close()
