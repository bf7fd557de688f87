// The header: product, workspace, search, help and account.
import { ActionIcon, Box, Burger, Button, Group, Kbd, Text, UnstyledButton } from "@mantine/core"
import { lazy, type Ref } from "react"
import { DownIcon, HelpIcon, SearchIcon } from "../Icons.tsx"
import { Logo } from "../parts/Logo.tsx"
import { OnDemand } from "../parts/OnDemand.tsx"
import { useSession } from "../session.tsx"
import { useWords } from "../words/Words.tsx"
import { isApple, openPalette } from "./keys.ts"

const AccountMenu = lazy(async () => ({ default: (await import("./AccountMenu.tsx")).AccountMenu }))
const WorkspaceMenu = lazy(async () => ({ default: (await import("./WorkspaceMenu.tsx")).WorkspaceMenu }))

const initialsOf = (name: string): string =>
  name
    .split(/\s+/)
    .map((part) => part.slice(0, 1))
    .slice(0, 2)
    .join("")
    .toUpperCase()

interface TargetProps {
  readonly onClick?: () => void
  readonly ref?: Ref<HTMLButtonElement>
}

export const AccountTarget = (props: TargetProps) => {
  const words = useWords("shell")
  const { user } = useSession().session
  return (
    <UnstyledButton {...props} aria-label={words.account(user.name)} aria-haspopup="menu" className="account">
      <span className="avatar" data-initials={initialsOf(user.name)} />
    </UnstyledButton>
  )
}

export const WorkspaceTarget = (props: TargetProps) => {
  const words = useWords("shell")
  const { membership } = useSession()
  return (
    <Button
      {...props}
      variant="subtle"
      color="gray"
      size="compact-sm"
      px={8}
      rightSection={<DownIcon size={14} />}
      aria-label={words.workspace(membership.name)}
      aria-haspopup="menu"
    >
      <Text component="span" fw={600} size="sm" truncate maw={180}>
        {membership.name}
      </Text>
    </Button>
  )
}

const SearchButton = () => {
  const words = useWords("shell")
  return (
    <>
      <Button
        visibleFrom="sm"
        variant="default"
        color="gray"
        size="compact-md"
        fw={400}
        c="dimmed"
        w={230}
        justify="flex-start"
        className="search-button"
        leftSection={<SearchIcon size={16} />}
        rightSection={<Kbd size="xs">{isApple ? "⌘K" : "Ctrl K"}</Kbd>}
        onClick={openPalette}
      >
        {words.search}
      </Button>
      <ActionIcon
        hiddenFrom="sm"
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={words.search}
        onClick={openPalette}
      >
        <SearchIcon />
      </ActionIcon>
    </>
  )
}

interface Props {
  readonly isMenuOpen: boolean
  readonly onMenu: () => void
  readonly onHelp: () => void
}

export const Header = ({ isMenuOpen, onHelp, onMenu }: Props) => {
  const words = useWords("shell")
  return (
    <Group h="100%" px="sm" justify="space-between" wrap="nowrap" gap="xs">
      <Group gap={4} wrap="nowrap" miw={0}>
        <Burger
          hiddenFrom="sm"
          size="sm"
          opened={isMenuOpen}
          onClick={onMenu}
          aria-label={isMenuOpen ? words.closeMenu : words.menu}
          aria-expanded={isMenuOpen}
        />
        <Group gap={8} wrap="nowrap" visibleFrom="sm" px={6} w={106}>
          <Logo />
          <Text fw={700} size="md">
            {words.product}
          </Text>
        </Group>
        <Box visibleFrom="sm" c="dimmed" aria-hidden="true" className="slash" />
        <OnDemand button={(open) => <WorkspaceTarget onClick={open} />}>
          <WorkspaceMenu />
        </OnDemand>
      </Group>
      <Group gap={6} wrap="nowrap">
        <SearchButton />
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={words.help}
          title={words.help}
          onClick={onHelp}
          visibleFrom="sm"
        >
          <HelpIcon />
        </ActionIcon>
        <OnDemand button={(open) => <AccountTarget onClick={open} />}>
          <AccountMenu />
        </OnDemand>
      </Group>
    </Group>
  )
}
