"""An HTTP server of Python's library that keeps what is posted to it, for tests. Arguments: a file, a port, and for TLS the files of the
certificate, its key and the authority of clients. Each POST to /samples becomes a line of the file before it is answered. What is posted to
/control as JSON decides the answers to come: {"status": 503, "headers": {"Retry-After": "2"}, "body": "...", "times": 3, "largest": 1000,
"hang": true}. GET /received gives all lines."""
import base64
import json
import os
import ssl
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

path, port, *tls = sys.argv[1:]
log = open(path, 'ab', 0)
lock = threading.Lock()
control = {}
tokens = {'count': 0}


class Collector(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    # The default buffers nothing, so that head and body of an answer leave apart.
    wbufsize = -1

    def log_message(self, *args):
        pass

    def answer(self, status, body=b'', headers=None):
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def do_GET(self):
        with open(path, 'rb') as file:
            self.answer(200, file.read())

    def do_OPTIONS(self):
        self.answer(204)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get('Content-Length', '0')))
        if self.path == '/control':
            control.clear()
            control.update(json.loads(body))
            return self.answer(204)
        if self.path == '/token':
            tokens['count'] += 1
            text = {'access_token': 'token-%d' % tokens['count'], 'expires_in': control.get('expires_in', 3600)}
            text['seen'] = [self.headers.get('Authorization'), body.decode()]
            tokens['seen'] = text['seen']
            return self.answer(200, json.dumps(text).encode())
        if control.get('hang'):
            while control.get('hang'):
                time.sleep(0.05)
            self.close_connection = True
            return
        now = dict(control)
        status = now.get('status', 204)
        if len(body) > now.get('largest', 1 << 30):
            status = 413
        if 'expect' in now and self.headers.get('Authorization') != now['expect']:
            status = 401
        record = {
            'status': status,
            'path': self.path,
            'headers': {name.lower(): value for name, value in self.headers.items()},
            'body': base64.b64encode(body).decode(),
            'tokens': tokens['count'],
            'asked': tokens.get('seen'),
        }
        with lock:
            log.write(json.dumps(record).encode() + b'\n')
            os.fsync(log.fileno())
        if now.get('times', 2) <= 1:
            control.clear()
        elif 'times' in now:
            control['times'] = now['times'] - 1
        self.answer(status, now.get('body', '').encode() if status >= 300 else b'', now.get('headers'))


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64


server = Server(('127.0.0.1', int(port)), Collector)
if tls:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tls[0], tls[1])
    if len(tls) > 2:
        context.load_verify_locations(tls[2])
        context.verify_mode = ssl.CERT_REQUIRED
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
