import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import ipaddr from 'ipaddr.js';

/** Names' addresses, in both families; a name that is not there does not exist, and `null` gets no answer. */
export type Zone = Record<string, string[] | null>;

export interface NameServer {
  /** `127.0.0.1:port` */
  address: string;
  zone: Zone;
  close(): void;
}

const recordTypes = { ipv4: 1, ipv6: 28 } as const;
/** An answer's flags (RFC 1035 §4.1.1): recursion is available; with 3, the name does not exist. */
const answered = 0x8180;
const noSuchName = 0x8183;

/** A DNS server over UDP (RFC 1035) that knows A and AAAA records. */
export async function startNameServer(zone: Zone): Promise<NameServer> {
  const socket = createSocket('udp4');
  socket.on('message', (query, sender) => {
    const answer = answerTo(query, zone);
    if (answer !== null) socket.send(answer, sender.port, sender.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { address: `127.0.0.1:${socket.address().port}`, zone, close: () => socket.close() };
}

function answerTo(query: Buffer, zone: Zone): Buffer | null {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const question = query.subarray(12, at + 5);
  const type = query.readUInt16BE(at + 1);
  const known = zone[labels.join('.').toLowerCase()];
  if (known === null) return null;
  const addresses = (known ?? [])
    .map((address) => ipaddr.parse(address))
    .filter((ip) => recordTypes[ip.kind()] === type);
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(known === undefined ? noSuchName : answered, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  return Buffer.concat([header, question, ...addresses.map((ip) => record(type, Buffer.from(ip.toByteArray())))]);
}

/** An answer about the name that follows the header (0xc00c), not to be cached. */
function record(type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(12);
  fixed.writeUInt16BE(0xc00c, 0);
  fixed.writeUInt16BE(type, 2);
  fixed.writeUInt16BE(1, 4);
  fixed.writeUInt16BE(data.length, 10);
  return Buffer.concat([fixed, data]);
}
