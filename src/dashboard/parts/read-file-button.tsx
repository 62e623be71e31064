import { Button, FileButton } from '@mantine/core';

/** A button that lets the person choose a text file, and reads it. */
export function ReadFileButton(props: { accept: string; onRead: (text: string) => void; children: string }) {
  const { accept, onRead, children } = props;
  return (
    <FileButton accept={accept} onChange={async (file) => file !== null && onRead(await file.text())}>
      {(given) => (
        <Button size="xs" variant="default" {...given}>
          {children}
        </Button>
      )}
    </FileButton>
  );
}
