import type { X509Certificate } from 'node:crypto';
import type { AppContext, Fault, Role } from '@tagway/sdk';
import { ErrorCode, isFault } from '@tagway/sdk';
import type { IRoleResolver } from 'node-opcua-address-space';
import { WellKnownRoles } from 'node-opcua-address-space';
import { type NodeId, resolveNodeId } from 'node-opcua-nodeid';
import { type ServerSession, UAUserManagerBase } from 'node-opcua-server';
import { UserNameIdentityToken, X509IdentityToken } from 'node-opcua-types';
import { certificateOf } from '@tagway/opcua-pki';
import type { LimitedLog } from '@tagway/store/log';
import { CertificateUsers, type Settings } from '../settings.ts';

/** Who has a session. */
export interface Identity {
  /** For people: a user in quotes, the subject of a certificate, or "an anonymous client". */
  readonly name: string;
  /** The user of the gateway, if it is one. */
  readonly user?: string;
  readonly mayWrite: boolean;
}

const anonymous: Identity = { name: 'an anonymous client', mayWrite: false };

const operator = resolveNodeId(WellKnownRoles.Operator);
const observer = resolveNodeId(WellKnownRoles.Observer);

export type UsersContext = Pick<AppContext<Settings>, 'settings' | 'login' | 'log' | 'signal' | 'count'>;

/** Finds out who a client is: names and passwords are for the gateway to check, which says what the user may do. */
export class Users extends UAUserManagerBase implements IRoleResolver {
  readonly #context: UsersContext;
  readonly #refusals: LimitedLog;
  /** What users of the gateway may do, as their latest login here has shown. */
  readonly #roles = new Map<string, Role>();
  /** Of sessions with a certificate, by its token: the library asks for the rights of every node that it looks at. */
  readonly #byCertificate = new WeakMap<X509IdentityToken, Identity>();

  constructor(context: UsersContext, refusals: LimitedLog) {
    super();
    this.#context = context;
    this.#refusals = refusals;
  }

  /** Asks the gateway, which makes guessing slow. */
  override async isValidUser(session: ServerSession, name: string, password: string): Promise<boolean> {
    if (!this.#context.settings.users) return false;
    const address = session.channel?.remoteAddress ?? '';
    try {
      const { role } = await this.#context.login(name, password, { address, signal: this.#context.signal });
      this.#roles.set(name, role);
      return true;
    } catch (error) {
      if (!isFault(error)) throw error;
      this.#refused(error, address);
      return false;
    }
  }

  override getUserRoles(): NodeId[] {
    return [];
  }

  /** Called by the library for every node that it asks the rights of a session for. */
  resolveRoles(token: unknown): NodeId[] {
    return this.identityOf(token).mayWrite ? [observer, operator] : [observer];
  }

  identityOf(token: unknown): Identity {
    if (token instanceof UserNameIdentityToken) {
      const user = token.userName ?? '';
      const role = this.#roles.get(user);
      return { name: `"${user}"`, user, mayWrite: role !== undefined && role !== 'viewer' };
    }
    if (token instanceof X509IdentityToken) {
      let identity = this.#byCertificate.get(token);
      if (identity === undefined) this.#byCertificate.set(token, (identity = this.#withCertificate(token)));
      return identity;
    }
    return anonymous;
  }

  #withCertificate({ certificateData }: X509IdentityToken): Identity {
    const subject = certificateOf(certificateData.toString('base64'))?.subject;
    const mayWrite = this.#context.settings.certificate_users === CertificateUsers.WRITE;
    return { name: `the user with the certificate ${shown(subject)}`, mayWrite };
  }

  #refused(fault: Fault, address: string): void {
    this.#context.count('refused_logins_total', 1);
    // The gateway has a line about a wrong password itself.
    if (fault.code === ErrorCode.CREDENTIALS_INVALID) return;
    this.#refusals.add((others) =>
      this.#context.log.warn(`A login from ${address} was refused: ${fault.message}${others}`),
    );
  }
}

function shown(subject: X509Certificate['subject'] | undefined): string {
  return subject === undefined ? 'that cannot be parsed' : `"${subject.replaceAll('\n', ', ')}"`;
}
