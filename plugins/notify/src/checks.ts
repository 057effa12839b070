import { ErrorCode, Fault, inputsOf } from '@tagway/sdk';
import { tlsFilesProblem } from '@tagway/store';
import { headerValueProblem, urlProblem } from '@tagway/store/http';
import { ZoneClock } from './hours.ts';
import { isAddress, parseRules } from './rules.ts';
import { Security, type Settings } from './settings.ts';
import { parseSignals } from './signals.ts';
import { MessageTemplate } from './template.ts';

/** The fault of settings that the schema cannot refuse, or undefined. */
export function checkSettings(settings: Readonly<Settings>): Fault | undefined {
  const problem = problemOf(settings);
  return problem === undefined ? undefined : new Fault(ErrorCode.NODE_SETTING_INVALID, problem);
}

function problemOf(settings: Settings): string | undefined {
  const { smtp_host: host, smtp_security: security, username, password, from } = settings;
  const rules = parseRules(settings.rules);
  if ('problem' in rules) return rules.problem;
  const usesMail = rules.value.some(({ mail }) => mail.length > 0);
  if (usesMail && !host) return '"smtp_host" is missing: a rule has receivers of e-mail.';
  if (usesMail && !from) return '"from" is missing: a rule has receivers of e-mail.';
  if (host && !/^[A-Za-z0-9.:_-]+$/.test(host))
    return '"smtp_host" is the name or the address of a server, without anything around it.';
  if (from && !isAddress(from)) return `"from" is "${from}", which is no address of e-mail.`;
  if ((username ?? '') !== '' && (password ?? '') === '') return '"username" needs "password".';
  if ((username ?? '') !== '' && security === Security.NONE)
    return '"smtp_security" has to be 0 or 1 with a "username": without TLS the password could be read on its way.';
  if (rules.value.some(({ hook }) => hook) && !settings.webhook)
    return '"webhook" is missing: a rule has the receiver "webhook".';
  const url = settings.webhook ? urlProblem('webhook', settings.webhook) : undefined;
  if (url !== undefined) return url;
  const token = headerValueProblem('webhook_token', settings.webhook_token ?? '');
  if (token !== undefined) return token;
  const page = settings.page ? urlProblem('page', settings.page) : undefined;
  if (page !== undefined) return page;
  const files = tlsFilesProblem(settings);
  if (files !== undefined) return files;
  try {
    new ZoneClock(settings.time_zone);
  } catch {
    return `"time_zone" is "${settings.time_zone}", which is no time zone: write one such as Europe/Berlin or UTC.`;
  }
  const names = rules.value.map(({ name }) => name);
  const signals = parseSignals(settings.signals, names);
  if ('problem' in signals) return signals.problem;
  if (
    inputsOf([{ address: settings.signals }]).length < new Set(signals.value.map((one) => one.reference)).size
  )
    return '"signals" has a reference that is none.';
  const subject = MessageTemplate.problem(settings.subject, false);
  if (subject !== undefined) return `"subject" is not a template: ${subject}`;
  const body = MessageTemplate.problem(settings.body, true);
  return body === undefined ? undefined : `"body" is not a template: ${body}`;
}

/** Names of the rules that get the alarms of a subscription, or why they are none; undefined: all. */
export function rulesOfParams(
  params: { readonly rules?: unknown } | undefined,
): readonly string[] | undefined | Fault {
  const rules = params?.rules;
  if (rules === undefined) return undefined;
  if (typeof rules !== 'string' || !/^[\w-]+(\s*,\s*[\w-]+)*$/.test(rules))
    return new Fault(
      ErrorCode.GROUP_PARAM_INVALID,
      'The parameter "rules" is a text with names of rules, such as "duty, chief".',
    );
  return rules.split(',').map((name) => name.trim());
}
