import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { rememberSignedIn } from '../../api/ask-ahead.js';

/** Actions that end the session end it here too: the next person at this browser sees no cached data. */
export function useGone(): () => Promise<void> {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return async () => {
    rememberSignedIn(false);
    await navigate({ to: '/' });
    queryClient.clear();
  };
}
