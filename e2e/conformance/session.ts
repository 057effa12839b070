import type { ConformanceTable } from './rows.ts';

export const session: ConformanceTable = {
  'POST /login': [
    ['the password is wrong', { name: 'admin', pass: '1111' }, 401, 1009],
    ['the user is unknown', { name: 'nobody', pass: '0000' }, 401, 1009],
    ['the password is empty', { name: 'admin', pass: '' }, 401, 1009],
    ['the password is very long', { name: 'admin', pass: 'x'.repeat(10_000) }, 401, 1009],
  ],
};
