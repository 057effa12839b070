/** Every text of the page. The other languages have the same keys: the compiler holds them to it. */
export const en = {
  app: {
    name: 'Tagway',
    loading: 'Loading …',
    retry: 'Try again',
    cancel: 'Cancel',
    save: 'Save',
    close: 'Close',
    delete: 'Delete',
    search: 'Search',
    none: 'Nothing here yet.',
    menu: 'Menu',
    theme: 'Light or dark',
    language: 'Language',
    logout: 'Log out',
    broken: 'This part of the page has failed. The others go on.',
    notFound: 'There is no such page here.',
    home: 'To the overview',
  },
  error: {
    unreachable: 'The gateway does not answer. Check that it runs and that the network reaches it.',
    code: 'Code {{code}}',
  },
  login: {
    title: 'Log in',
    user: 'User',
    password: 'Password',
    submit: 'Log in',
    ended: 'Your session has ended. Log in again to go on where you were.',
    first: 'A new gateway has the user admin with the password 0000. Change it after the first login.',
  },
  nav: {
    overview: 'Overview',
    drivers: 'Drivers',
    apps: 'Apps',
    live: 'Live values',
    templates: 'Templates',
    plugins: 'Plugins',
    transfer: 'Import and export',
    logs: 'Logs',
    audit: 'Audit',
    users: 'Users',
    metrics: 'Metrics',
    about: 'About',
  },
  link: {
    live: 'Live',
    polling: 'Live, by polling',
    lost: 'No connection for {{age}}. What is shown is old.',
  },
  settings: { defaults: 'Back to the defaults' },
  age: { seconds: '{{count}} s', minutes: '{{count}} min', hours: '{{count}} h', days: '{{count}} d' },
} as const;

type Widened<T> = { readonly [Key in keyof T]: T[Key] extends string ? string : Widened<T[Key]> };

export type Texts = Widened<typeof en>;
