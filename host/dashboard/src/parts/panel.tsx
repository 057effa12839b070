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

/** An error boundary around a part that renders a plugin's schema: when that fails, the rest of the page still works. */
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
