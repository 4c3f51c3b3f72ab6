"""A headless Chromium that looks at Weir's pages: what tests of the pages need of it. It notes every error of a page's
scripts, every refused style or script, and every request that failed."""
import json
import os
import shutil
import time

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common import utils
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

PATIENCE = float(os.environ.get("WEIR_TEST_PATIENCE", "1"))
# A bare machine has no /etc/hosts, so no "localhost"; the driver and Chromium talk by a pipe.
HERE = "127.0.0.1"
DRIVER = shutil.which("chromedriver") or "/usr/bin/chromedriver"


def there_is_one():
    return os.path.exists(DRIVER)


class Driver(Service):
    @property
    def service_url(self):
        return f"http://{HERE}:{self.port}"

    def is_connectable(self):
        return utils.is_connectable(self.port, HERE)


class Browser:
    def __init__(self):
        options = Options()
        for argument in ("--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--disable-gpu",
                         "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run", "--disable-extensions",
                         "--window-size=1280,900"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Driver(DRIVER), options=options)
        self.driver.set_page_load_timeout(60 * PATIENCE)
        self.base = "about:blank"

    def quit(self):
        self.driver.quit()

    def visit(self, base):
        """The JobTracker whose pages are opened from now on; nothing is known of an earlier one."""
        self.base = base
        self.driver.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": base, "storageTypes": "all"})
        self.driver.execute_cdp_cmd("Network.clearBrowserCache", {})
        self.size(1280, 900)

    def leave(self):
        self.print_media(False)
        self.driver.get("about:blank")
        self.console()
        self.failed_requests()

    def size(self, width, height, dark=False):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})

    def print_media(self, on):
        """As it would be printed."""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print" if on else ""})

    def open(self, path):
        self.driver.get(self.base + path)

    def act_as(self, user):
        self.open("/")
        self.js("localStorage.setItem('weir.user', arguments[0])", user)

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def text(self, selector="main"):
        """A page that draws itself again between finding and reading is read once more."""
        for again in reversed(range(20)):
            try:
                found = self.driver.find_elements(By.CSS_SELECTOR, selector)
                return " ".join(one.text for one in found)
            except StaleElementReferenceException:
                if not again:
                    raise

    def wait(self, what, condition, seconds=30):
        """Until the condition gives something; what the page changes meanwhile is no failure."""
        deadline = time.monotonic() + seconds * PATIENCE
        while time.monotonic() < deadline:
            try:
                result = condition()
                if result:
                    return result
            except (StaleElementReferenceException, WebDriverException):
                pass
            time.sleep(0.1)
        raise AssertionError(f"not within {seconds * PATIENCE:.0f} s: {what}; the page says: {self.text('body')[:1500]}")

    def see(self, text, selector="main", seconds=30):
        self.wait(f"'{text}' in {selector}", lambda: text in self.text(selector), seconds)

    def find(self, selector, text=None):
        """The element of that selector (and with that text), once it is there and can be seen."""
        def look():
            for one in self.driver.find_elements(By.CSS_SELECTOR, selector):
                if one.is_displayed() and (text is None or text in one.text):
                    return one
            return None
        return self.wait(f"{selector} {text or ''}", look)

    def click(self, selector, text=None):
        """Clicks; again, where the page drew it anew in between."""
        def press():
            self.find(selector, text).click()
            return True
        self.wait(f"click {selector} {text or ''}", press)

    def choose(self, selector, value):
        self.find(selector)
        self.js("""const one = document.querySelector(arguments[0]); one.value = arguments[1];
                   one.dispatchEvent(new Event('change', {bubbles: true}))""", selector, value)

    def press(self, *keys):
        self.driver.switch_to.active_element.send_keys(*keys)

    def focused(self):
        return self.js("const a = document.activeElement; return a.textContent || a.getAttribute('aria-label') || a.tagName")

    # --- What went wrong ---

    def console(self):
        """Errors of scripts and what the Content-Security-Policy refused, since it was last asked."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def failed_requests(self):
        """Requests that got no answer or one of 400 and more, since it was last asked."""
        failed, urls = [], {}
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            params = message["params"]
            if message["method"] == "Network.requestWillBeSent":
                urls[params["requestId"]] = params["request"]["url"]
            elif message["method"] == "Network.responseReceived" and params["response"]["status"] >= 400:
                failed.append(f"{params['response']['status']} {params['response']['url']}")
            elif message["method"] == "Network.loadingFailed" and not params.get("canceled"):
                failed.append(f"{params['errorText']} {urls.get(params['requestId'], '?')}")
        return failed


__all__ = ["Browser", "By", "Keys", "there_is_one"]
