import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';

type LinkProps<Props> = Props & Omit<ComponentPropsWithRef<'a'>, keyof Props>;

/** A link to another page that looks like a button. */
export const LinkButton = createLink((props: LinkProps<ButtonProps>) => <Button component="a" {...props} />);

export const TextLink = createLink((props: LinkProps<AnchorProps>) => <Anchor {...props} />);
