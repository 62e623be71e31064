import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';
import { styleHash } from './pages/html-page.js';

const addHeaders = helmet({
  // Without any referrer, a browser sends `Origin: null` with a form, which AUTH-13's check refuses.
  referrerPolicy: { policy: 'same-origin' },
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      styleSrc: [styleHash],
      fontSrc: ["'self'"],
      imgSrc: ["'self'", 'https:'],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
      baseUri: ["'none'"],
    },
  },
});

/** helmet's security headers: the same for every answer, so built once. */
export function securityHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  const request = new IncomingMessage(new Socket());
  const answer = new ServerResponse(request);
  // Unlike `getHeaders`, this keeps upper and lower case.
  answer.setHeader = (name, value) => {
    headers[name] = String(value);
    return answer;
  };
  addHeaders(request, answer, (error?: unknown) => {
    if (error !== undefined) throw error;
  });
  return headers;
}
