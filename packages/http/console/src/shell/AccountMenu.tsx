// The menu of the account: appearance, language, and sign-out. Only `Header.tsx` imports this module, on demand.
import { Menu, Text, useMantineColorScheme } from "@mantine/core"
import { Link } from "@tanstack/react-router"
import { signOut } from "../api/session.ts"
import { CheckIcon, DeviceIcon, MoonIcon, SignOutIcon, SunIcon, UserIcon } from "../Icons.tsx"
import { useOpening } from "../parts/OnDemand.tsx"
import { useSession } from "../session.tsx"
import { isLanguage, languageNames, useLanguage, useWords } from "../words/Words.tsx"
import { AccountTarget } from "./Header.tsx"

const schemes = [
  { name: "light", icon: SunIcon },
  { name: "dark", icon: MoonIcon },
  { name: "auto", icon: DeviceIcon },
] as const

const leave = async () => {
  await signOut()
  location.assign("/")
}

export const AccountMenu = () => {
  const words = useWords("shell")
  const { choose, language } = useLanguage()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const { user } = useSession().session
  const { isOpen, setOpen, target } = useOpening()
  return (
    <Menu opened={isOpen} onChange={setOpen} position="bottom-end" width={250}>
      <Menu.Target>
        <AccountTarget ref={target} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text component="span" display="block" size="sm" fw={600} c="var(--mantine-color-text)" truncate>
            {user.name}
          </Text>
          <Text component="span" display="block" size="xs" truncate>
            {user.email}
          </Text>
        </Menu.Label>
        <Menu.Item component={Link} to="/settings/account" leftSection={<UserIcon size={16} />}>
          {words.ownAccount}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{words.scheme}</Menu.Label>
        {schemes.map(({ icon: Icon, name }) => (
          <Menu.Item
            key={name}
            leftSection={<Icon size={16} />}
            rightSection={name === colorScheme ? <CheckIcon size={16} /> : null}
            onClick={() => setColorScheme(name)}
          >
            {words.schemes[name]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Label>{words.language}</Menu.Label>
        {Object.keys(languageNames)
          .filter(isLanguage)
          .map((each) => (
            <Menu.Item
              key={each}
              lang={each}
              rightSection={each === language ? <CheckIcon size={16} /> : null}
              onClick={() => void choose(each)}
            >
              {languageNames[each]}
            </Menu.Item>
          ))}
        <Menu.Divider />
        <Menu.Item leftSection={<SignOutIcon size={16} />} onClick={() => void leave()}>
          {words.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
