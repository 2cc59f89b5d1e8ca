// Opinion: what golang.org/x/mod/sumdb/note and tlog say of our notes and proofs.
//
// One JSON object a line on stdin, one line of answer each: the text or hash that Go sees, or "error: …".
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type question struct {
	Ask     string
	Keys    []string // verifier keys, or the one private key
	Text    string   // a signed note, or the text to sign
	Leaves  [][]byte
	Index   int64
	Size    int64
	OldSize int64
	Root    []byte
	OldRoot []byte
	Path    [][]byte
}

func hash(content []byte) (found tlog.Hash) {
	copy(found[:], content)
	return found
}

func hashes(path [][]byte) (found []tlog.Hash) {
	for _, one := range path {
		found = append(found, hash(one))
	}
	return found
}

func open(q question) (string, error) {
	var known []note.Verifier
	for _, key := range q.Keys {
		verifier, err := note.NewVerifier(key)
		if err != nil {
			return "", err
		}
		known = append(known, verifier)
	}
	opened, err := note.Open([]byte(q.Text), note.VerifierList(known...))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%q %d %d", opened.Text, len(opened.Sigs), len(opened.UnverifiedSigs)), nil
}

func sign(q question) (string, error) {
	signer, err := note.NewSigner(q.Keys[0])
	if err != nil {
		return "", err
	}
	signed, err := note.Sign(&note.Note{Text: q.Text}, signer)
	return base64.StdEncoding.EncodeToString(signed), err
}

// root builds the tree with Go's own storage of hashes.
func root(q question) (string, error) {
	var stored []tlog.Hash
	reader := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		var found []tlog.Hash
		for _, index := range indexes {
			found = append(found, stored[index])
		}
		return found, nil
	})
	for number, leaf := range q.Leaves {
		more, err := tlog.StoredHashes(int64(number), leaf, reader)
		if err != nil {
			return "", err
		}
		stored = append(stored, more...)
	}
	found, err := tlog.TreeHash(int64(len(q.Leaves)), reader)
	return found.String(), err
}

func answer(q question) (string, error) {
	switch q.Ask {
	case "open":
		return open(q)
	case "sign":
		return sign(q)
	case "root":
		return root(q)
	case "record":
		return "proved", tlog.CheckRecord(hashes(q.Path), q.Size, hash(q.Root), q.Index, tlog.RecordHash(q.Leaves[0]))
	case "tree":
		return "proved", tlog.CheckTree(hashes(q.Path), q.Size, hash(q.Root), q.OldSize, hash(q.OldRoot))
	}
	return "", fmt.Errorf("no such question: %q", q.Ask)
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var q question
		err := json.Unmarshal(lines.Bytes(), &q)
		said := ""
		if err == nil {
			said, err = answer(q)
		}
		if err != nil {
			said = fmt.Sprintf("error: %q", err)
		}
		fmt.Println(said)
	}
}
