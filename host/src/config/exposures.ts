import type { Config } from './config.ts';
import { defaultUser } from '../core/access/users.ts';

/** Warnings about options that let others than the operator use the API. */
export function exposures(
  { disableAuth, tls, pair }: Config,
  address: string,
  hasDefaultPassword: boolean,
): string[] {
  const isOpen = !/^(127\.|::1$|::ffff:127\.)/.test(address);
  const open = (pair?.endpoints ?? []).filter(
    (url) => !/^(https:|http:\/\/(127\.|localhost[:/]|\[::1\]))/.test(url),
  );
  const reach = isOpen ? `whoever reaches ${address}` : 'everybody on this machine';
  return [
    ...(disableAuth
      ? [`The API asks for no token, because of --disable-auth: ${reach} may change everything.`]
      : []),
    ...(isOpen && tls === undefined
      ? [
          `The API is open to other machines at ${address} without HTTPS: passwords can be read on their way. See --tls auto.`,
        ]
      : []),
    ...(open.length > 0
      ? [
          `The way to etcd at ${open.join(', ')} is not secured: a client that reaches it reads the configuration and decides which gateway polls. ` +
            'Use https, --pair-ca, --pair-cert and --pair-key.',
        ]
      : []),
    ...(hasDefaultPassword
      ? [
          `The user "${defaultUser.name}" has the password that every new gateway has: everybody on this machine may log in, and nobody ` +
            'from elsewhere until it is changed. Change it, or start with another one in TAGWAY_ADMIN_PASSWORD.',
        ]
      : []),
  ];
}
