import { Modal } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { lazy, Suspense, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

const SearchBox = lazy(() => import('./search-box.tsx'));

/** The field in the header that opens the search over everything; Ctrl+K opens it, too. */
export function Search(): ReactElement {
  const { t } = useTranslation();
  const [isOpen, { open, close }] = useDisclosure(false);
  useHotkeys([['mod+K', open]], []);
  return (
    <>
      <button type="button" className="frame-search" onClick={open}>
        <IconSearch size={14} aria-hidden />
        <span className="word">{t('search.title')}</span>
        <kbd aria-hidden>Ctrl K</kbd>
      </button>
      <Modal
        opened={isOpen}
        onClose={close}
        withCloseButton={false}
        padding={0}
        size={620}
        yOffset={90}
        title={t('search.title')}
        styles={{ header: { display: 'none' } }}
        transitionProps={{ duration: 120 }}
      >
        <Suspense fallback={null}>
          <SearchBox onDone={close} />
        </Suspense>
      </Modal>
    </>
  );
}
