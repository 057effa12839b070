import { Modal } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import SearchBox from './search-box.tsx';

/** The search over everything, over the page. */
export default function SearchDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      padding={0}
      size={620}
      yOffset={90}
      title={t('search.title')}
      styles={{ header: { display: 'none' } }}
      transitionProps={{ duration: 120 }}
    >
      <SearchBox onDone={onClose} />
    </Modal>
  );
}
