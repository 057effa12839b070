import type { Agent } from 'node:http';
import type { Registry } from '@tagway/schemas';
import { outerLookup } from './addresses.ts';

const agents = new Map<string, Promise<Agent>>();

/** The connections to where a registry leads, kept for its next request. What is not named is looked up with care; behind a proxy, the proxy looks it up. */
export function agentFor({ proxy }: Registry, { protocol }: URL, isNamed: boolean): Promise<Agent> {
  const key = JSON.stringify([proxy, protocol, isNamed]);
  const known = agents.get(key);
  if (known !== undefined) return known;
  const made = proxy === undefined || proxy === '' ? direct(protocol, isNamed) : through(proxy, protocol);
  agents.set(key, made);
  return made;
}

async function direct(protocol: string, isNamed: boolean): Promise<Agent> {
  const options = { keepAlive: true, ...(!isNamed && { lookup: outerLookup }) };
  const { Agent: HttpAgent } = process.getBuiltinModule('node:http');
  const { Agent: HttpsAgent } = process.getBuiltinModule('node:https');
  return protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options);
}

async function through(proxy: string, protocol: string): Promise<Agent> {
  if (protocol === 'https:') {
    const { HttpsProxyAgent } = await import('https-proxy-agent');
    return new HttpsProxyAgent(proxy, { keepAlive: true });
  }
  const { HttpProxyAgent } = await import('http-proxy-agent');
  return new HttpProxyAgent(proxy);
}
