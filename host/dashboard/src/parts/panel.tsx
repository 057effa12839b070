import { Alert, Text } from '@mantine/core';
import { Component, type ReactElement, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

interface Props {
  readonly children: ReactNode;
}

interface State {
  readonly error: unknown;
  readonly isBroken: boolean;
}

/** A part of a page that is made of what a plugin brings: when that breaks it, the rest of the page goes on. */
export class Panel extends Component<Props, State> {
  override readonly state: State = { error: undefined, isBroken: false };

  static getDerivedStateFromError(error: unknown): State {
    return { error, isBroken: true };
  }

  override render(): ReactNode {
    const { isBroken, error } = this.state;
    return isBroken ? <Broken error={error} /> : this.props.children;
  }
}

function Broken({ error }: { readonly error: unknown }): ReactElement {
  const { t } = useTranslation();
  return (
    <Alert color="red" variant="light" role="alert" title={t('app.broken')}>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {error instanceof Error ? error.message : String(error)}
      </Text>
    </Alert>
  );
}
