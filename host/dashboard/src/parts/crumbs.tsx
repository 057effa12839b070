import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { Isolated } from './isolated.tsx';

interface Step {
  readonly to: string;
  readonly text: string;
}

interface Props {
  /** The places above this one, the outermost first. */
  readonly steps: readonly Step[];
  readonly here: string;
}

/** Where one is, from the menu's page down. */
export function Crumbs({ steps, here }: Props): ReactElement {
  const { t } = useTranslation();
  return (
    <nav className="crumbs" aria-label={t('app.crumbs')}>
      {steps.map(({ to, text }) => (
        <span key={to}>
          <Link to={to}>
            <Isolated>{text}</Isolated>
          </Link>
          {' / '}
        </span>
      ))}
      <Isolated>{here}</Isolated>
    </nav>
  );
}
