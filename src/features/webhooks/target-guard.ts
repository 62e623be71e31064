import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { config } from '../../config/config.js';
import { InvalidRequest } from '../../lib/errors.js';
import { t } from '../../lib/translate.js';
import { mayBeDeliveredTo } from './target-address.js';
import { networkLookup } from './target-lookup.js';

/** Targets that the environment allows besides https to public addresses; for development only (HOOK-22). */
export interface TargetRules {
  webhookAllowHttp: boolean;
  webhookAllowPrivate: boolean;
}

/** The target's name, or the connection itself, led to a forbidden address. Nothing was sent. */
class ForbiddenTarget extends Error {
  override readonly name = 'ForbiddenTarget';
  readonly code = 'FORBIDDEN_TARGET';
}

/** Names that never lead to a public address (RFC 6761, RFC 6762, RFC 8375, ICANN's .internal). */
const privateNames = /(^|\.)(localhost|local|internal|home\.arpa)$/;
const longestUrl = 2048;

/**
 * An endpoint's target in the URL standard's spelling: host names in ASCII, IP addresses in dotted decimal. Throws
 * InvalidRequest with the fault. The name is resolved at each connection instead, since its address may change at any
 * time.
 */
export function checkTargetUrl(text: string, rules: TargetRules = config()): string {
  const problem = problemOf(text, rules);
  if (problem !== null) throw new InvalidRequest([{ path: 'url', message: problem }]);
  return new URL(text).href;
}

function problemOf(text: string, rules: TargetRules): string | null {
  if (!URL.canParse(text)) return t('input.url');
  const url = new URL(text);
  if (!allowedSchemes(rules).includes(url.protocol)) return t('input.url_https');
  if (url.username !== '' || url.password !== '') return t('input.url_user');
  if (url.href.includes('#')) return t('input.url_fragment');
  if (url.href.length > longestUrl) return t('input.text_long', { count: longestUrl });
  return hostProblem(url, rules);
}

const allowedSchemes = ({ webhookAllowHttp }: TargetRules): string[] =>
  webhookAllowHttp ? ['https:', 'http:'] : ['https:'];

/** The URL parser has turned every IPv4 spelling into dotted decimal. */
function hostProblem(url: URL, { webhookAllowPrivate: allowPrivate }: TargetRules): string | null {
  const host = hostOf(url);
  const forbidden = t('input.url_public', { host });
  if (isIP(host) !== 0) return mayBeDeliveredTo(host, { allowPrivate }) ? null : forbidden;
  if (allowPrivate) return null;
  return privateNames.test(host) || !host.includes('.') ? forbidden : null;
}

/** The host without brackets and without the dot that may end a full name. */
const hostOf = ({ hostname }: { hostname: string }): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

export interface TargetDispatcherOptions {
  rules?: TargetRules;
  /** How names are resolved: over the network; in development by the system, which also knows this machine's names. */
  lookup?: LookupFunction;
  /** Undici's own options: timeouts, connections … */
  agent?: Omit<Agent.Options, 'connect'>;
  /** How long a connection may take, in milliseconds (HOOK-13: 5 s). */
  connectTimeoutMs?: number;
}

/**
 * A dispatcher that connects only to allowed addresses (HOOK-22). A name is resolved once, for the connection itself,
 * and every address in the answer must be allowed. So a name that changes a moment later (DNS rebinding) gains nothing.
 * Fails with ForbiddenTarget. Redirects are not followed.
 */
export function targetDispatcher(options: TargetDispatcherOptions = {}): Dispatcher {
  const { rules = config(), agent = {}, connectTimeoutMs = 5_000 } = options;
  const { lookup = rules.webhookAllowPrivate ? dnsLookup : networkLookup() } = options;
  const isAllowed = (address: string) => mayBeDeliveredTo(address, { allowPrivate: rules.webhookAllowPrivate });
  const connectAnywhere = buildConnector({ timeout: connectTimeoutMs, lookup: onlyAllowed(lookup, isAllowed) });
  return new Agent({
    ...agent,
    connect(target, callback) {
      const host = hostOf(target);
      const schemes = allowedSchemes(rules);
      // A literal address is never resolved, so it is checked here.
      if (!schemes.includes(target.protocol) || (isIP(host) !== 0 && !isAllowed(host))) {
        callback(new ForbiddenTarget(`${target.protocol}//${host} may not be delivered to`), null);
        return;
      }
      connectAnywhere(target, (...[error, socket]) => {
        if (error !== null) callback(error, null);
        else if (isAllowed(socket.remoteAddress ?? '')) callback(null, socket);
        else refuse(socket, callback);
      });
    },
  });
}

/** The socket's own address decides, not the resolver's answer. */
function refuse(socket: Socket, callback: buildConnector.Callback): void {
  const error = new ForbiddenTarget('The connection has led to an address that may not be delivered to');
  socket.destroy();
  callback(error, null);
}

/**
 * Resolves like `lookup`, and fails when any address in the answer is forbidden. The error doesn't say which, since a
 * network may keep it to itself.
 */
function onlyAllowed(lookup: LookupFunction, isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const addresses: LookupAddress[] = Array.isArray(found) ? found : [];
      const forbidden = addresses.find(({ address }) => !isAllowed(address));
      const [first] = addresses;
      if (error !== null) callback(error, []);
      else if (forbidden)
        callback(new ForbiddenTarget(`${hostname} leads to an address that may not be delivered to`), []);
      else if (first === undefined) callback(new ForbiddenTarget(`${hostname} leads nowhere`), []);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
}
