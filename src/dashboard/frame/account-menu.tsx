import { Avatar, Button, Menu, useMantineColorScheme, VisuallyHidden } from '@mantine/core';
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { answerOf, api } from '../api/client.js';
import { meQuery } from '../api/queries.js';
import { isLanguage, languages } from '../i18n/words.js';
import { useSpeech } from '../i18n/words-provider.js';
import css from './frame.module.css';

const schemes = ['auto', 'light', 'dark'] as const;

/** Who is signed in, and what is theirs alone: language, colours, signing out. */
export function AccountMenu() {
  const { words, speak } = useSpeech();
  const { t, language } = words;
  const { data: me } = useSuspenseQuery(meQuery);
  // Without this, Mantine would write a `<style>` while the colours change.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <Button variant="default" className={css.account}>
          {me === null ? (
            t('account.preferences')
          ) : (
            <>
              <Avatar size="sm" src={me.avatarUrl} name={me.username} color="initials" alt="" aria-hidden="true" />
              <VisuallyHidden>{t('account.menu', { name: me.username })}</VisuallyHidden>
            </>
          )}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {me !== null && <Menu.Label>{t('account.signed_in_as', { name: me.username })}</Menu.Label>}
        <Menu.Label>{t('account.language')}</Menu.Label>
        <Menu.RadioGroup value={language} onChange={(name) => isLanguage(name) && speak(name)}>
          {Object.entries(languages).map(([name, own]) => (
            <Menu.RadioItem key={name} value={name} lang={name} closeMenuOnClick>
              {own}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Label>{t('account.scheme')}</Menu.Label>
        <Menu.RadioGroup
          value={colorScheme}
          onChange={(name) => setColorScheme(schemes.find((each) => each === name) ?? 'auto')}
        >
          {schemes.map((name) => (
            <Menu.RadioItem key={name} value={name} closeMenuOnClick>
              {t(`account.scheme_${name}`)}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        {me !== null && <OwnActs />}
      </Menu.Dropdown>
    </Menu>
  );
}

function OwnActs() {
  const { t } = useSpeech().words;
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const signOut = useMutation({
    mutationFn: () => answerOf(api.POST('/api/auth/logout', {})),
    async onSuccess() {
      await navigate({ to: '/' });
      queryClient.clear();
    },
  });
  return (
    <>
      <Menu.Divider />
      <Menu.Item component={Link} to="/me">
        {t('account.me')}
      </Menu.Item>
      <Menu.Item onClick={() => signOut.mutate()}>{t('account.sign_out')}</Menu.Item>
    </>
  );
}
