// The menu of the person's workspaces. Only `Header.tsx` imports this module, on demand.
import { Menu, Text } from "@mantine/core"
import { CheckIcon } from "../Icons.tsx"
import { useOpening } from "../parts/OnDemand.tsx"
import { useSession } from "../session.tsx"
import { useWords } from "../words/Words.tsx"
import { WorkspaceTarget } from "./Header.tsx"

export const WorkspaceMenu = () => {
  const words = useWords("shell")
  const { membership, session } = useSession()
  const { isOpen, setOpen, target } = useOpening()
  return (
    <Menu opened={isOpen} onChange={setOpen} position="bottom-start" width={240}>
      <Menu.Target>
        <WorkspaceTarget ref={target} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{words.switchWorkspace}</Menu.Label>
        {session.memberships.map(({ name, role, slug }) => (
          <Menu.Item
            key={slug}
            component="a"
            href={`/w/${slug}`}
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
