// The page of a person who is in no workspace, or not in that of the address.
import { Anchor, Button, Center, List, Paper, Stack, Text } from "@mantine/core"
import { type Session, signOut } from "../api/session.ts"
import { Logo } from "../parts/Logo.tsx"
import { useWords } from "../words/Words.tsx"

const leave = async () => {
  await signOut()
  location.assign("/")
}

interface Props {
  readonly session: Session
}

export const NoWorkspace = ({ session }: Props) => {
  const words = useWords("shell")
  const { memberships } = session
  const isAlone = memberships.length === 0
  return (
    <Center component="main" mih="100vh" p="md" className="door">
      <Stack w="100%" maw={440} gap="lg">
        <Center>
          <Logo size={40} />
        </Center>
        <Paper p="xl" shadow="sm">
          <h1 className="door-title">{isAlone ? words.noWorkspace : words.strangeWorkspace}</h1>
          <Text size="sm" c="dimmed" mb="lg">
            {isAlone ? words.noWorkspaceText : words.strangeWorkspaceText}
          </Text>
          <List mb="lg">
            {memberships.map(({ name, slug }) => (
              <List.Item key={slug}>
                <Anchor href={`/w/${slug}`}>{name}</Anchor>
              </List.Item>
            ))}
          </List>
          <Button variant="default" onClick={() => void leave()}>
            {words.signOut}
          </Button>
        </Paper>
      </Stack>
    </Center>
  )
}
