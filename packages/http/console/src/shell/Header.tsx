// The header: product, workspace, search, help and account.
import { ActionIcon, Box, Burger, Button, Group, Kbd, Menu, Text, Tooltip } from "@mantine/core"
import { CheckIcon, DownIcon, HelpIcon, SearchIcon } from "../Icons.tsx"
import { Logo } from "../parts/Logo.tsx"
import { useSession } from "../session.tsx"
import { useWords } from "../words/Words.tsx"
import { AccountMenu } from "./AccountMenu.tsx"
import { openPalette } from "./keys.ts"

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent)

const WorkspaceMenu = () => {
  const words = useWords("shell")
  const { membership, session } = useSession()
  return (
    <Menu position="bottom-start" width={240}>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          px={8}
          rightSection={<DownIcon size={14} />}
          aria-label={words.workspace(membership.name)}
        >
          <Text component="span" fw={600} size="sm" truncate maw={180}>
            {membership.name}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{words.switchWorkspace}</Menu.Label>
        {session.memberships.map(({ name, role, slug }) => (
          <Menu.Item
            key={slug}
            component="a"
            href={`/w/${slug}/`}
            rightSection={slug === membership.slug ? <CheckIcon size={16} /> : null}
          >
            {name}
            <Text component="span" size="xs" c="dimmed" ml={8}>
              {words.roles[role]}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
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
        <WorkspaceMenu />
      </Group>
      <Group gap={6} wrap="nowrap">
        <SearchButton />
        <Tooltip label={words.help}>
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label={words.help} onClick={onHelp} visibleFrom="sm">
            <HelpIcon />
          </ActionIcon>
        </Tooltip>
        <AccountMenu />
      </Group>
    </Group>
  )
}
