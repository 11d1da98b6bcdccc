"""A page that tries every way to reach an address."""

from json import dumps

REACHED = frozenset(
    "audio beacon css dynamic_import embed event_source fetch font form frame_location frame_refresh iframe image img "
    "import import_scripts input keepalive modulepreload no_cors object poster prefetch preload redirected_fetch "
    "redirected_iframe redirected_img script shared_worker socket srcset svg video worker xhr".split()
)
"""The ways that reach an address that is allowed, by the last segment of the path. The others are off in any case."""

_MARKUP = """
<iframe src="{b}/iframe"></iframe><img src="{b}/img"><link rel=stylesheet href="{b}/css">
<style>@import url("{b}/import"); @font-face {{ font-family: f{n}; src: url("{b}/font"); }}
.f{n} {{ font-family: f{n}; }}</style>
<p class=f{n}>text</p><script src="{b}/script"></script><link rel=prefetch href="{b}/prefetch">
<link rel=preconnect href="{b}"><link rel=dns-prefetch href="{b}"><link rel=preload as=image href="{b}/preload">
<link rel=modulepreload href="{b}/modulepreload"><object data="{b}/object"></object><embed src="{b}/embed">
<video src="{b}/video" autoplay></video><audio src="{b}/audio" autoplay></audio><video poster="{b}/poster"></video>
<img srcset="{b}/srcset 1x"><svg width=9 height=9><image href="{b}/svg" width=9 height=9></image></svg>
<input type=image src="{b}/input"><link rel=manifest href="{b}/manifest"><link rel=icon href="{b}/icon">
<iframe srcdoc='<meta http-equiv=refresh content="0;url={b}/frame_refresh">'></iframe>
<iframe srcdoc='<script>location="{b}/frame_location"</script>'></iframe>
<iframe name=into{n}></iframe><form method=post target=into{n} action="{b}/form" id=form{n}></form>
<a id=ping{n} href="#" ping="{b}/ping">p</a>
<img src="{own}/to?{b}/redirected_img"><iframe src="{own}/to?{b}/redirected_iframe"></iframe>
"""

_SCRIPT = """
const attempt = (run) => { try { const made = run(); if (made && made.catch) made.catch(() => {}); } catch {} };
const own = %(own)s;
for (const [n, b] of %(bases)s.entries()) {
  const ws = b.replace('http', 'ws');
  attempt(() => fetch(b + '/fetch'));
  attempt(() => fetch(b + '/no_cors', {mode: 'no-cors', method: 'POST', body: 'x'}));
  attempt(() => fetch(b + '/keepalive', {mode: 'no-cors', keepalive: true}));
  attempt(() => fetch(own + '/to?' + b + '/redirected_fetch', {mode: 'no-cors'}));
  attempt(() => { const x = new XMLHttpRequest(); x.open('GET', b + '/xhr'); x.send(); });
  attempt(() => { new Image().src = b + '/image'; });
  attempt(() => new EventSource(b + '/event_source'));
  attempt(() => navigator.sendBeacon(b + '/beacon', 'x'));
  attempt(() => new WebSocket(ws + '/socket'));
  attempt(() => new WebSocket(ws.replace('ws:', 'wss:') + '/socket'));
  attempt(() => fetch(b.replace('http:', 'https:') + '/tls', {mode: 'no-cors'}));
  attempt(() => new WebTransport(b.replace('http:', 'https:') + '/transport'));
  attempt(() => new WebTransport(b.replace('http:', 'https:') + '/transport',
    {serverCertificateHashes: [{algorithm: 'sha-256', value: new Uint8Array(32)}]}));
  attempt(() => new Worker(URL.createObjectURL(new Blob([`importScripts("${b}/import_scripts")`]))));
  attempt(() => new Worker(URL.createObjectURL(new Blob([`fetch("${b}/worker", {mode: 'no-cors'})`]))));
  attempt(() => new SharedWorker(URL.createObjectURL(new Blob([`fetch("${b}/shared_worker", {mode: 'no-cors'})`]))));
  attempt(() => import(b + '/dynamic_import'));
  attempt(() => navigator.serviceWorker.register('/worker.js'));
  attempt(() => document.getElementById('form' + n).submit());
  attempt(() => document.getElementById('ping' + n).click());
  attempt(() => window.open(b + '/open'));
  attempt(() => window.open(b + '/open', '_blank', 'noopener,width=100'));
  attempt(() => {
    const rules = document.createElement('script');
    rules.type = 'speculationrules';
    rules.textContent = JSON.stringify({prefetch: [{source: 'list', urls: [b + '/speculation']}],
                                        prerender: [{source: 'list', urls: [b + '/speculation']}]});
    document.body.append(rules);
  });
  attempt(() => {
    const host = new URL(b).host;
    const peer = new RTCPeerConnection({iceServers: [
      {urls: [`stun:${host}`, `turn:${host}?transport=udp`, `turn:${host}?transport=tcp`,
              `turns:${host}?transport=tcp`],
       username: 'u', credential: 'c'}]});
    peer.createDataChannel('x');
    peer.createOffer().then((offer) => peer.setLocalDescription(offer)).catch(() => {});
    const [, address, port] = /^\\[?(.*?)\\]?:(\\d+)$/.exec(host);
    peer.setRemoteDescription({type: 'answer', sdp: ''}).catch(() => {});
    const other = new RTCPeerConnection();
    other.setRemoteDescription({type: 'offer', sdp: ['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', 't=0 0',
      'a=group:BUNDLE 0', 'm=application 9 UDP/DTLS/SCTP webrtc-datachannel', 'c=IN IP4 0.0.0.0', 'a=ice-ufrag:abcd',
      'a=ice-pwd:abcdefghijklmnopqrstuvwx', 'a=fingerprint:sha-256 ' + Array(32).fill('AA').join(':'),
      'a=setup:actpass', 'a=mid:0', 'a=sctp-port:5000',
      `a=candidate:1 1 udp 2122260223 ${address} ${port} typ host`,
      `a=candidate:2 1 tcp 1518280447 ${address} ${port} typ host tcptype passive`, ''].join('\\r\\n')})
      .then(() => other.createAnswer()).then((answer) => other.setLocalDescription(answer)).catch(() => {});
  });
}
"""


_END = """
const end = () => document.body.insertAdjacentHTML('beforeend', '<a href=/end>end</a>');
fetch(%s + '/enough').catch(() => {}).finally(() => { %s; setTimeout(end, 1000); });
"""
"""The page is complete a second after the server says that it is enough."""

_LEAVE = "location = %s + '/location'"


def reaching_page(bases: list[str], *, own: str, leaves: bool = False) -> str:
    """Return a page that requests `bases`, such as http://127.0.0.1:8000.

    `own` is the site's server: /to?URL redirects to a URL, and /enough responds when the page has done enough. If the
    page `leaves`, it then navigates to the first of the bases, and a refresh does that too.
    """
    markup = "".join(_MARKUP.format(b=base, n=n, own=own) for n, base in enumerate(bases))
    script = _SCRIPT % {"own": dumps(own), "bases": dumps(bases)}
    refresh = f'<meta http-equiv=refresh content="1;url={bases[0]}/refresh">' if leaves else ""
    end = _END % (dumps(own), _LEAVE % dumps(bases[0]) if leaves else "")
    return f"<!DOCTYPE html>{refresh}<body>{markup}<script>{script}{end}</script>"
