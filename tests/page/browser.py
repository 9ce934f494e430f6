"""A headless Chromium, driven over its debugging pipe: pages are opened, clicked and typed into as a person would. Only the standard library."""
import base64, fcntl, json, os, select, shutil, subprocess, tempfile, time

PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome']


def find():
    return next((path for path in map(shutil.which, PROGRAMS) if path), None)


class Browser:
    def __init__(self, width=1500, height=950, scheme='dark'):
        self.folder = tempfile.mkdtemp(prefix='hloscope-browser-')
        to_read, self.to = os.pipe()
        self.back, back_write = os.pipe()
        # The browser reads from descriptor 3 and writes to 4.
        low = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (to_read, back_write)]
        os.close(to_read)
        os.close(back_write)
        command = [find(), '--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--disable-extensions', '--disable-background-networking', '--hide-scrollbars',
                   '--force-device-scale-factor=1', f'--user-data-dir={self.folder}', '--remote-debugging-pipe', 'about:blank']

        def place():
            os.dup2(low[0], 3)
            os.dup2(low[1], 4)
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=place, close_fds=False)
        for fd in low:
            os.close(fd)
        self.number, self.buffer, self.events, self.session = 0, b'', [], None
        target = next(t for t in self.call('Target.getTargets')['targetInfos'] if t['type'] == 'page')
        self.session = self.call('Target.attachToTarget', targetId=target['targetId'], flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self.call(domain + '.enable')
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': scheme}])

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.back)
        shutil.rmtree(self.folder, ignore_errors=True)

    def read(self, seconds):
        """The next message; None: none came."""
        end = time.time() + seconds
        while b'\0' not in self.buffer:
            left = end - time.time()
            if left <= 0 or not select.select([self.back], [], [], left)[0]:
                return None
            part = os.read(self.back, 1 << 16)
            if not part:
                raise RuntimeError('the browser has ended')
            self.buffer += part
        message, self.buffer = self.buffer.split(b'\0', 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {'id': self.number, 'method': method, 'params': parameters}
        if self.session:
            message['sessionId'] = self.session
        data = json.dumps(message).encode() + b'\0'
        while data:
            data = data[os.write(self.to, data):]
        while True:
            answer = self.read(60)
            if answer is None:
                raise RuntimeError(f'no answer to {method}')
            if answer.get('id') == self.number:
                if 'error' in answer:
                    raise RuntimeError(f'{method}: {answer["error"]["message"]}')
                return answer['result']
            if 'method' in answer:
                self.events.append(answer)

    def evaluate(self, expression):
        answer = self.call('Runtime.evaluate', expression=expression, returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in answer:
            raise RuntimeError(f'{expression}: {answer["exceptionDetails"]}')
        return answer['result'].get('value')

    def wait(self, expression, seconds=20):
        end = time.time() + seconds
        while time.time() < end:
            if self.evaluate(expression):
                return True
            time.sleep(0.03)
        raise AssertionError(f'{expression} did not become true')

    def open(self, path):
        self.events.clear()
        self.call('Page.navigate', url='file://' + os.path.abspath(path))

    def click(self, x, y, count=1):
        self.call('Input.dispatchMouseEvent', type='mouseMoved', x=x, y=y)
        for number in range(1, count + 1):
            for kind in ('mousePressed', 'mouseReleased'):
                self.call('Input.dispatchMouseEvent', type=kind, x=x, y=y, button='left', buttons=1 if kind == 'mousePressed' else 0, clickCount=number)

    def drag(self, x, y, dx, dy):
        self.call('Input.dispatchMouseEvent', type='mousePressed', x=x, y=y, button='left', buttons=1, clickCount=1)
        for k in range(1, 6):
            self.call('Input.dispatchMouseEvent', type='mouseMoved', x=x + dx * k / 5, y=y + dy * k / 5, button='left', buttons=1)
        self.call('Input.dispatchMouseEvent', type='mouseReleased', x=x + dx, y=y + dy, button='left', buttons=0, clickCount=1)

    def wheel(self, x, y, dy):
        self.call('Input.dispatchMouseEvent', type='mouseWheel', x=x, y=y, deltaX=0, deltaY=dy)

    def key(self, key):
        codes = {'Enter': 13, 'Escape': 27, 'ArrowUp': 38, 'ArrowDown': 40, 'ArrowLeft': 37, 'ArrowRight': 39, 'Backspace': 8, '/': 191}
        extra = {'text': '\r' if key == 'Enter' else key} if len(key) == 1 or key == 'Enter' else {}
        self.call('Input.dispatchKeyEvent', type='keyDown', key=key, windowsVirtualKeyCode=codes.get(key, ord(key[0].upper())), **extra)
        self.call('Input.dispatchKeyEvent', type='keyUp', key=key, windowsVirtualKeyCode=codes.get(key, ord(key[0].upper())))

    def type(self, text):
        for letter in text:
            self.key(letter)

    def picture(self, path):
        with open(path, 'wb') as file:
            file.write(base64.b64decode(self.call('Page.captureScreenshot', format='png')['data']))

    def complaints(self):
        """What went wrong since the page was opened: errors and warnings of the console, and anything asked of a network."""
        self.evaluate('0')
        out = []
        for event in self.events:
            method, p = event['method'], event['params']
            if method == 'Runtime.exceptionThrown':
                out.append('exception: ' + p['exceptionDetails'].get('exception', {}).get('description', p['exceptionDetails']['text']))
            elif method == 'Runtime.consoleAPICalled' and p['type'] in ('error', 'warning', 'assert'):
                out.append('console: ' + ' '.join(str(a.get('value', a.get('description'))) for a in p['args']))
            elif method == 'Log.entryAdded' and p['entry']['level'] in ('error', 'warning'):
                out.append('log: ' + p['entry']['text'])
            elif method == 'Network.requestWillBeSent' and not p['request']['url'].startswith(('file:', 'data:', 'blob:', 'about:')):
                out.append('asks for ' + p['request']['url'])
        return out
