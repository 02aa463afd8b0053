/** A stand-in for APNs in a worker thread: accepts every push after a simulated round trip. */
import { createSecureServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { certificate, certificateKey } from '../test/support/self-signed-certificate.ts';

const { roundTripMs, streams } = workerData as { readonly roundTripMs: number; readonly streams: number };

let received = 0;

const server = createSecureServer({
  cert: certificate,
  key: certificateKey,
  settings: { maxConcurrentStreams: streams },
});
server.on('stream', (stream: ServerHttp2Stream) => {
  const answer = () => {
    received += 1;
    if (!stream.destroyed) stream.respond({ ':status': 200 }, { endStream: true });
  };
  stream.resume();
  stream.on('error', () => undefined);
  stream.on('end', () => (roundTripMs > 0 ? setTimeout(answer, roundTripMs) : answer()));
});
server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port));
parentPort?.on('message', () => {
  parentPort?.postMessage(received);
  received = 0;
});
