import { Avatar, Button, NativeSelect, Stack, useMantineColorScheme, VisuallyHidden } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { rememberSignedIn } from '../api/ask-ahead.js';
import { answerOf, api } from '../api/client.js';
import { meQuery } from '../api/queries.js';
import { isLanguage, languages } from '../i18n/words.js';
import { useSpeech } from '../i18n/words-provider.js';
import { LinkButton } from '../parts/link-button.js';
import { PopUp } from '../parts/pop-up.js';
import { Failed } from '../parts/states.js';
import css from './frame.module.css';

const schemes = ['auto', 'light', 'dark'] as const;

/** The signed-in person and their own settings: language, colours, signing out. */
export function AccountMenu() {
  const { words, speak } = useSpeech();
  const { t, language } = words;
  // A failed session's frame shows this menu: a new try here would bring the frame back, and fail again, for ever.
  const { data: me } = useQuery({ ...meQuery, retryOnMount: false });
  // Without this, Mantine would write a `<style>` while the colours change.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  if (me === undefined) return <span className={css.account} />;
  const label =
    me === null ? (
      t('account.preferences')
    ) : (
      <>
        <Avatar size="sm" src={me.avatarUrl} name={me.username} alt="" aria-hidden="true" />
        <VisuallyHidden>{t('account.menu', { name: me.username })}</VisuallyHidden>
      </>
    );
  return (
    <PopUp label={label} className={css.account} side="right">
      <Stack gap="sm">
        {me !== null && <span className={css.who}>{t('account.signed_in_as', { name: me.username })}</span>}
        <NativeSelect
          label={t('account.language')}
          value={language}
          data={Object.entries(languages).map(([value, own]) => ({ value, label: own }))}
          onChange={({ currentTarget: { value } }) => isLanguage(value) && speak(value)}
        />
        <NativeSelect
          label={t('account.scheme')}
          value={colorScheme}
          data={schemes.map((value) => ({ value, label: t(`account.scheme_${value}`) }))}
          onChange={({ currentTarget: { value } }) => setColorScheme(schemes.find((each) => each === value) ?? 'auto')}
        />
        {me !== null && <OwnActs isPlatformAdmin={me.platformAdmin} />}
      </Stack>
    </PopUp>
  );
}

function OwnActs({ isPlatformAdmin }: { isPlatformAdmin: boolean }) {
  const { t } = useSpeech().words;
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const signOut = useMutation({
    mutationFn: () => answerOf(api.POST('/api/auth/logout', {})),
    async onSuccess() {
      rememberSignedIn(false);
      await navigate({ to: '/' });
      queryClient.clear();
    },
  });
  return (
    <>
      <LinkButton variant="default" to="/me">
        {t('account.me')}
      </LinkButton>
      {isPlatformAdmin && (
        <LinkButton variant="default" to="/admin">
          {t('admin.title')}
        </LinkButton>
      )}
      <Failed error={signOut.error} />
      <Button variant="default" loading={signOut.isPending} onClick={() => signOut.mutate()}>
        {t('account.sign_out')}
      </Button>
    </>
  );
}
