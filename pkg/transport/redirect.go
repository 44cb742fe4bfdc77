package transport

import (
	"errors"
	"net/http"
	"net/url"
)

const maxRedirects = 5

var (
	errRedirectElsewhere = errors.New("redirect to another origin")
	errRedirectLoop      = errors.New("too many redirects")
)

// sameOriginOnly follows redirects to the same scheme, host and port only, because they get the credential.
func sameOriginOnly(req *http.Request, via []*http.Request) error {
	if origin(req.URL) != origin(via[0].URL) {
		return errRedirectElsewhere
	}
	if len(via) >= maxRedirects {
		return errRedirectLoop
	}
	return nil
}

func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + u.Hostname() + ":" + port
}
