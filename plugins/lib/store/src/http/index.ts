export { answered, retryAfter } from './answers.ts';
export { basic } from './addresses.ts';
export { type HttpAnswer, HttpClient, type HttpRequest, type HttpServer } from './http-client.ts';
export { type OAuthSettings, Tokens } from './tokens.ts';
export { headerNameProblem, headerValueProblem, proxyProblem, urlProblem } from './url.ts';
